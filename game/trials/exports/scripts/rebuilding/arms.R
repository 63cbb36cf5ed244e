# The figures of a trial with arms: whoever was given an arm is one value of it.

MEASURES <- c("cost_a_decision", "cost", "score")
LEAST_KNOWN_BEFORE <- 4   # people whose games before are needed to adjust by them
LEAST_PEOPLE <- 2         # of an arm, for the lot to compare it
GOLDEN <- (sqrt(5) - 1) / 2

arm_figures <- function(games, made, told) {
  design <- told$design
  if (design$shared_dice || design$within) return(list())
  people <- read_table("participants")
  finished <- games[truth(games$finished) & !is.na(games$phase), ]
  finished <- cbind(finished, measured(finished, made))
  found <- list()
  for (phase in intersect(c("before", "training", "after", "follow_up"), finished$phase))
    for (measure in MEASURES)
      found <- c(found, list(c(list(phase = phase, measure = measure),
                               in_phase(finished, people, design, phase, measure,
                                        drawn_arms(told$phases, phase, measure)))))
  main <- Filter(function(one) one$phase == design$outcome && one$measure == MEASURES[1], found)
  list(phases = found, main = if (length(main)) main[[1]] else NA)
}

# Whose people the lot might have dealt otherwise: only the sealed list knows its blocks.
drawn_arms <- function(rows, phase, measure) {
  rows <- Filter(function(row) row$phase == phase && row$measure == measure, rows)
  pairs <- do.call(c, lapply(rows, function(row) row$comparisons))
  vapply(Filter(function(pair) is.list(pair$lot), pairs), function(pair) pair$arm, "")
}

measured <- function(games, made) {
  rows <- lapply(games$name, function(name) {
    own <- made[made$name == name, ]
    free <- sum(!truth(own$forced))
    cost <- if (free && !anyNA(own$regret)) sum(own$regret) else NA
    data.frame(cost = cost, cost_a_decision = cost / free)
  })
  do.call(rbind, rows)
}

in_phase <- function(games, people, design, phase, measure, drawn) {
  now <- games[games$phase == phase & !is.na(games[[measure]]), ]
  then <- games[games$phase == "before" & !is.na(games[[measure]]), ]
  before <- if (phase != "before") tapply(then[[measure]], then$participant, mean) else numeric()
  values <- split(now[[measure]], now$participant)
  given <- people[match(names(values), people$participant), ]
  arms <- lapply(design$arms, function(arm) {
    own <- vapply(values[given$arm_order == arm | arm == ""], mean, 0)
    list(arm = arm, people = length(own), games = sum(lengths(values[names(own)])),
         mean = if (length(own)) mean(own) else 0, interval = interval(own))
  })
  dealt <- Filter(function(arm) sum(given$arm_order == arm) >= LEAST_PEOPLE, unlist(design$arms))
  lots <- if (length(drawn)) by_lot(dealt, values, given, before)
  later <- if (phase != "before") design$arms[-1] else list() # before, nobody had an arm yet
  pairs <- lapply(later, function(arm) {
    found <- beside(arm, design$arms[[1]], values, given, before)
    if (length(found) && arm %in% drawn) {
      found$difference <- lots[[arm]]
      found$lot <- list(difference = lots[[arm]])
    }
    found
  })
  list(arms = arms, comparisons = Filter(length, pairs))
}

beside <- function(arm, first, values, given, before) {
  noise <- sum(vapply(values, function(own) sum((own - mean(own))^2), 0)) /
    max(sum(lengths(values)) - length(values), 1)
  chosen <- given$arm_order %in% c(arm, first)
  values <- values[chosen]; given <- given[chosen, ]
  treated <- given$arm_order == arm
  if (!any(treated) || all(treated)) return(NULL)
  means <- vapply(values, mean, 0)
  middle <- c(mean(means[treated]), mean(means[!treated]))
  columns <- cbind(1, treated, known_before(names(values), given$stratum, before))
  found <- list(difference = middle[1] - middle[2], model = NA, test = NA)
  if (length(means) > ncol(columns) && qr(columns)$rank == ncol(columns))
    found <- model(means, lengths(values), noise, columns)
  c(list(arm = arm, beside = first, people = list(sum(treated), sum(!treated)),
         means = as.list(middle)), found)
}

# Every further one of these arms beside the first, as the randomisation test takes it.
by_lot <- function(arms, values, given, before) {
  chosen <- given$arm_order %in% arms
  values <- values[chosen]; given <- given[chosen, ]
  further <- vapply(arms[-1], function(arm) as.numeric(given$arm_order == arm),
                    numeric(length(values)))
  columns <- cbind(1, further, known_before(names(values), given$stratum, before))
  if (qr(columns)$rank < ncol(columns)) return(list())
  fit <- lm.fit(columns, vapply(values, mean, 0))$coefficients
  stats::setNames(as.list(unname(fit[seq_along(arms)[-1]])), arms[-1])
}

# A column for each stratum but one, and the games before; unknown ones count as average.
known_before <- function(people, strata, before) {
  strata[is.na(strata)] <- ""
  names <- sort(unique(strata), method = "radix")[-1]
  columns <- vapply(names, function(name) as.numeric(strata == name), numeric(length(people)))
  known <- before[people[people %in% names(before)]]
  if (length(known) < LEAST_KNOWN_BEFORE || max(known) == min(known)) return(columns)
  own <- before[people]
  own[is.na(own)] <- mean(known)
  cbind(columns, as.numeric(own))
}

# People are a sample, and the games of each are one: the variance of people by restricted maximum
# likelihood, the error of the difference after Knapp and Hartung.
model <- function(means, games, noise, columns) {
  errors <- noise / games
  weights <- 1 / pmax(between_people(means, errors, columns) + errors, 1e-12)
  inverse <- solve(crossprod(columns, weights * columns))
  fit <- inverse %*% crossprod(columns, weights * means)
  left <- means - columns %*% fit
  degrees <- length(means) - ncol(columns)
  found <- around(fit[2], sum(weights * left^2) / degrees * inverse[2, 2], degrees)
  list(difference = fit[2], model = found, test = t_test(found))
}

between_people <- function(means, errors, columns) {
  if (diff(range(errors)) <= 1e-12 * max(errors, 1e-12)) {
    left <- lm.fit(columns, means)$residuals
    return(max(0, sum(left^2) / (length(means) - ncol(columns)) - errors[1]))
  }
  height <- function(between) {
    weights <- 1 / pmax(between + errors, 1e-12)
    crossed <- crossprod(columns, weights * columns)
    left <- means - columns %*% solve(crossed, crossprod(columns, weights * means))
    -(sum(weights * left^2) - sum(log(weights)) + as.numeric(determinant(crossed)$modulus)) / 2
  }
  low <- 0; high <- 4 * mean((means - mean(means))^2) + 1e-12
  inner <- c(high - GOLDEN * (high - low), low + GOLDEN * (high - low))
  for (step in 1:60) {
    if (height(inner[1]) >= height(inner[2])) {
      high <- inner[2]; inner <- c(high - GOLDEN * (high - low), inner[1])
    } else {
      low <- inner[1]; inner <- c(inner[2], low + GOLDEN * (high - low))
    }
  }
  (low + high) / 2
}
