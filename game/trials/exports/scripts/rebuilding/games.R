# The tables, read; and games played again from their decisions.

read_table <- function(table) {
  paths <- c(file.path(folder, paste0(table, ".csv")),
             Sys.glob(file.path(folder, "data", paste0("*_description-", table, "_data.csv"))))
  read.csv(paths[file.exists(paths)][1], fileEncoding = "UTF-8-BOM", na.strings = "",
           check.names = FALSE, stringsAsFactors = FALSE)
}

truth <- function(column) tolower(as.character(column)) == "true"

faults <- character()
fault <- function(...) faults <<- c(faults, paste0(...))

replay <- function(made, rules, name) {
  ids <- vapply(rules$boxes, `[[`, "", "id")
  faces <- vapply(rules$boxes, `[[`, 0, "face")
  card <- setNames(rep(NA_real_, length(ids)), ids)
  made <- as.list(made)  # a cell of a data frame takes much longer
  chips <- 0; held <- ""; left <- begun <- rules$throws; joker <- if (is.list(rules$joker)) rules$joker
  upper <- function() sum(card[faces > 0], na.rm = TRUE)
  for (at in seq_along(made$seq)) {
    row <- lapply(made, `[`, at)
    where <- paste0("decision ", name, " ", row$seq, ": ")
    now <- c(upper_total = upper(), points = sum(card, na.rm = TRUE) + chips, chips = chips)
    for (column in names(now)) if (row[[column]] != now[[column]])
      fault(where, column, " is ", row[[column]], ", the decisions before make it ", now[[column]])
    if (row$turn != sum(!is.na(card)) + 1) fault(where, "it is another turn")
    if (row$throws_left != left - 1) fault(where, "the decision before it is missing")
    saved <- if (rules$stock > 0) min(begun - rules$throws, row$throws_left) else NA
    if (!same(as.numeric(row$stock), saved)) fault(where, "another number of throws was saved")
    if (row$kind == "score") begun <- rules$throws + min(row$throws_left, rules$stock)
    left <- if (row$kind == "hold") row$throws_left else begun
    kept <- table(factor(strsplit(held, "")[[1]], levels = 1:6))
    lying <- table(factor(strsplit(row$dice, "")[[1]], levels = 1:6))
    if (any(kept > lying)) fault(where, held, " was held, and is not among ", row$dice)
    if (!anyNA(c(row$best_value, row$value, row$regret))) {
      if (abs(max(0, row$best_value - row$value) - row$regret) > 1e-9)
        fault(where, "regret is not best_value less value")
      if (row$regret < 1e-9 && !identical(row$best_choice, row$choice))
        fault(where, "best_choice is another, though nothing was lost")
    }
    held <- if (row$kind == "hold" && row$choice != "none") row$choice else ""
    if (row$kind == "hold") next
    if (!(row$choice %in% ids) || !is.na(card[[row$choice]])) {
      fault(where, row$choice, " is no open box"); next
    }
    points <- rules$points[[row$dice]][[match(row$choice, ids)]]
    if (!is.null(joker) && all(lying %in% c(0, nchar(row$dice))) && !is.na(card[[joker$box]])) {
      instead <- rules$boxes[[match(row$choice, ids)]]$joker_points
      own <- ids[faces == as.numeric(substr(row$dice, 1, 1))]
      if (!is.na(card[[own]]) && !is.na(instead)) points <- instead
      if (card[[joker$box]] > 0) chips <- chips + joker$chip
    }
    card[[row$choice]] <- points
  }
  bonus <- if (upper() >= rules$bonus_threshold) rules$bonus_points else 0
  list(card = card, bonus = bonus, chips = chips, score = sum(card, na.rm = TRUE) + chips + bonus)
}

throws_made <- function(made) {
  at <- seq_len(nrow(made)); before <- utils::head(at, -1)
  first <- c(TRUE[nrow(made) > 0], made$kind[before] == "score" | made$name[before] != made$name[-1])
  at - cummax(ifelse(first, at, 0)) + 1
}

kind_of <- function(made, throws) {
  ifelse(made$kind == "score", ifelse(made$throw < throws, "early", "box"),
  ifelse(made$choice == "none", "none",
  ifelse(nchar(made$choice) == nchar(made$dice), "all",
  ifelse(made$throw == 1, "first_hold", "second_hold"))))
}

check_sums <- function(game, played, made) {
  known <- made[!is.na(made$regret), ]
  found <- list(score = played$score, bonus = played$bonus, chips = played$chips)
  if (!is.na(game$regret))
    found <- c(found, list(regret = sum(known$regret), luck = sum(known$luck),
                           free_decisions = sum(!truth(known$forced))))
  for (column in names(found)) if (!same(as.numeric(game[[column]]), found[[column]]))
    fault("game ", game$name, " ", column, ": the table says ", game[[column]],
          ", the decisions ", found[[column]])
  length(found)
}
