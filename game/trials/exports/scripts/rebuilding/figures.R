# The figures of all games together.

LEDGER <- 0.01     # points by which a ledger may be off; more, and not all of a game was judged
FLAWLESS <- 1e-9   # points that a game without a mistake costs, in rounding

person_figures <- function(own, start, perfect, everybody) {
  costs <- own$regret[own$judged]
  lost <- if (length(costs)) mean(costs) else NA
  others <- if (length(everybody)) unlist(lapply(seq_len(nrow(own)), function(at) {
    scores <- everybody[[as.character(own$game[at])]]
    if (length(scores) > 1) own$score[at] - (sum(scores) - own$score[at]) / (length(scores) - 1)
  }))
  there <- as.character(own$game) %in% names(perfect)
  list(participant = own$participant[1], games = nrow(own), mean = mean(own$score),
       bonus_share = mean(own$bonus > 0), judged = length(costs), lost = lost,
       luck = if (length(costs)) mean(own$luck[own$judged]) else NA,
       estimate = if (length(costs)) start - lost else NA,
       skill = if (length(costs)) less(start, interval(costs)) else NA,
       against_others = interval(others),
       against_perfect = interval(own$score[there] -
         as.numeric(unlist(perfect[as.character(own$game[there])]))))
}

estimate <- function(values, who, simple, shared) {
  if (!length(values)) return(NA)
  groups <- split(values, who)
  found <- list(mean = mean(values), of_people = mean(vapply(groups, mean, 0)))
  if (simple) found <- c(found, list(these_people = stratified(groups),
                                     these_people_alike = stratified(groups, TRUE)))
  if (!shared) found$people_like_these <- interval(vapply(groups, mean, 0))
  found
}

skill_of <- function(start, cost) {
  if (!is.list(cost)) return(NA)
  c(list(mean = start - cost$mean, of_people = start - cost$of_people),
    lapply(cost[setdiff(names(cost), c("mean", "of_people"))], function(one) less(start, one)))
}

narrower <- function(raw, skill, name) {
  if (!is.list(raw) || !is.list(skill)) return(NA)
  if (is.null(raw[[name]])) return(NULL)
  if (!is.list(raw[[name]]) || !is.list(skill[[name]])) return(NA)
  (raw[[name]]$high - raw[[name]]$low) / (skill[[name]]$high - skill[[name]]$low)
}

deviation <- function(values) if (length(values) > 1) sd(values) else NA

tens_of <- function(scores) {
  tens <- scores %/% 10
  lapply(min(tens):max(tens), function(ten) list(low = 10 * ten, count = sum(tens == ten),
    share = mean(tens == ten), up_to_here = mean(tens <= ten)))
}

habits <- function(names, costs) lapply(unique(names), function(one)
  list(id = one, decisions = sum(names == one), points = sum(costs[names == one])))

figures <- function(games, made, cards, told, throws) {
  start <- told$conditions$value_start; shared <- told$conditions$shared_dice
  simple <- !shared && is.na(told$sessions)
  judged <- games[games$judged, ]
  raw <- estimate(games$score, games$participant, simple, shared)
  cost <- estimate(judged$regret, judged$participant, simple, shared)
  skill <- skill_of(start, cost)
  everybody <- if (shared) split(games$score, games$game)
  found <- list(games = nrow(games), judged = nrow(judged), raw = raw, skill = skill,
    people = unname(lapply(split(games, games$participant), person_figures, start,
                           told$conditions$perfect, everybody)),
    narrower = narrower(raw, skill, "these_people"),
    narrower_like_these = narrower(raw, skill, "people_like_these"))
  if (nrow(games)) {
    scores <- games$score; counts <- table(scores)
    found <- c(found, list(bonus_share = mean(games$bonus > 0), chips = mean(games$chips),
      scores = list(mean = mean(scores), median = median(scores), most = max(scores),
        least = min(scores), range = max(scores) - min(scores), deviation = deviation(scores)),
      occurrences = unname(Map(list, as.numeric(names(counts)), as.numeric(counts))),
      tens = tens_of(scores)))
    if (nrow(games) <= 600) found$points_by_box <- list(games = nrow(games), of = nrow(games),
      people = unname(lapply(split(games, games$participant), function(own)
        list(participant = own$participant[1], games = nrow(own),
             points = as.list(unname(colMeans(cards[own$name, , drop = FALSE])))))))
  }
  if (nrow(judged)) found <- c(found, of_judged(judged, made, simple, throws))
  found
}

of_judged <- function(judged, made, simple, throws) {
  groups <- split(judged$regret, judged$participant)
  found <- list(
    lost = list(mean = mean(judged$regret), deviation = deviation(judged$regret),
                flawless = sum(judged$regret <= FLAWLESS)),
    luck = list(mean = mean(judged$luck), deviation = deviation(judged$luck)),
    learning = list(steps = unname(lapply(split(judged, judged$game), function(of)
      list(number = of$game[1], games = nrow(of), lost = mean(of$regret))))))
  if (simple) {
    luck <- stratified(split(judged$luck, judged$participant))
    steep <- slope(judged$regret, judged$game, judged$participant)
    found$lost$test <- t_test(stratified(groups))
    found$luck <- c(found$luck, list(interval = luck, test = t_test(luck)))
    found$learning <- c(found$learning, list(slope = steep, test = t_test(steep)))
  }
  own <- made[made$name %in% judged$name & !is.na(made$regret), ]
  ends <- made[made$kind == "score", ]
  box <- setNames(ends$choice, paste(ends$name, ends$turn))
  c(found, list(lost_by_kind = habits(kind_of(own, throws), own$regret),
                lost_by_box = habits(unname(box[paste(own$name, own$turn)]), own$regret)))
}
