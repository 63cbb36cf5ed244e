# Works figures of the results out again from the tables, and compares them: a second opinion on
# rebuild.py, in R 4 with nothing besides.
#
#   Rscript rebuild.R [FOLDER]
#
# It plays every game again from decisions.csv by the rules in rules.json, works out from these games
# what statistics.json tells, and ends with 0 where it agrees, or with 1 and the names of what does
# not. Figures that it does not work out are named too: "not rebuilt".

GIVEN <- c("versions", "conditions", "trial", "made_at")

arguments <- commandArgs(trailingOnly = TRUE)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
folder <- if (length(arguments)) arguments[1] else here
for (part in c("facts", "games", "statistics", "figures", "arms"))
  source(file.path(here, "rebuilding", paste0(part, ".R")))

results <- read_json("statistics.json")
rules <- read_json("rules.json")
games <- read_table("games"); decisions <- read_table("decisions"); arms <- read_table("arms")
decisions$dice <- as.character(decisions$dice); decisions$choice <- as.character(decisions$choice)
games$name <- paste(games$participant, games$game)
decisions$name <- paste(decisions$participant, decisions$game)
decisions$throw <- throws_made(decisions)

by_game <- split(decisions, factor(decisions$name, levels = games$name))
played <- lapply(games$name, function(name)
  replay(by_game[[name]], rules[[games$ruleset[games$name == name]]], name))
ended <- truth(games$finished)
sums <- 0
for (at in which(ended)) sums <- sums + check_sums(games[at, ], played[[at]], by_game[[at]])

alike <- arms$arm[arms$ruleset == results$trial$ruleset & arms$dice == results$trial$dice &
                  truth(arms$shared_dice) == results$trial$shared_dice]
counted <- ended & (is.na(games$arm) | games$arm %in% alike)
start <- results$conditions$value_start
games$judged <- !is.na(start) & !is.na(games$regret) & !is.na(games$luck) &
  abs(start + games$luck - games$regret - games$score) <= LEDGER
own <- rules[[results$trial$ruleset]]
cards <- do.call(rbind, lapply(played[counted], function(one) c(one$card, one$bonus)))
if (!is.null(cards)) rownames(cards) <- games$name[counted]
again <- figures(games[counted, ], decisions, cards, results, own$throws)
if (is.list(results$arms)) again$arms <- arm_figures(games, decisions, results$arms)
found <- flat(again)
expected <- flat(results[setdiff(names(results), GIVEN)])

for (name in names(found)) {
  if (!(name %in% names(expected))) fault(name, ": it is not in the results")
  else if (!same(expected[[name]], found[[name]],
                 if (grepl(".comparisons[", name, fixed = TRUE)) SEARCHED else CLOSE))
    fault(name, ": the results say ", expected[[name]], ", the tables ", found[[name]])
}
figure <- vapply(expected, is_figure, TRUE)
left <- names(expected)[figure & !(names(expected) %in% names(found))]
counts <- table(gsub("\\[[^]]*\\]", "[]", left))
for (name in names(counts))
  cat("not rebuilt: ", name, if (counts[[name]] > 1) paste0(" (", counts[[name]], ")"), "\n", sep = "")
for (line in faults) cat(line, "\n", sep = "")
cat(nrow(decisions), " decisions of ", nrow(games), " games replayed, ", sums, " sums of games and\n",
    sum(figure) - length(left), " figures compared, ", length(left), " not rebuilt, ",
    length(faults), " do not agree.\n", sep = "")
quit(status = if (length(faults)) 1 else 0)
