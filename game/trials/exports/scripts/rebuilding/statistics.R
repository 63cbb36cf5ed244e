# What a few values allow one to say of more of them: a range is a list, or NA.

around <- function(mean, square, degrees) {
  error <- sqrt(max(0, square))
  if (degrees <= 0 || error <= 1e-12 * max(1, abs(mean))) return(NA)
  half <- qt(0.975, degrees) * error
  list(mean = mean, low = mean - half, high = mean + half, error = error, degrees = degrees)
}

interval <- function(values) {
  if (length(values) < 2) return(NA)
  around(mean(values), var(values) / length(values), length(values) - 1)
}

less <- function(start, found) {
  if (!is.list(found)) return(found)
  list(mean = start - found$mean, low = start - found$high, high = start - found$low,
       error = found$error, degrees = found$degrees)
}

t_test <- function(found) {
  if (!is.list(found)) return(found)
  t <- found$mean / found$error
  list(statistic = t, p = 2 * pt(-abs(t), found$degrees), degrees = found$degrees)
}

# The mean of all games of these people, or with `each` of their means (Welch, Satterthwaite).
stratified <- function(groups, each = FALSE) {
  groups <- Filter(length, groups)
  n <- lengths(groups); total <- sum(n); spare <- total - length(n)
  if (!spare) return(NA)
  squares <- vapply(groups, function(of) sum((of - mean(of))^2), 0)
  own <- ifelse(n > 1, squares / (n - 1), sum(squares) / spare)
  degrees <- ifelse(n > 1, n - 1, spare)
  weight <- if (each) rep(1 / length(n), length(n)) else n / total
  parts <- weight^2 * own / n
  if (sum(parts^2 / degrees) <= 0) return(NA)
  around(sum(weight * vapply(groups, mean, 0)), sum(parts), sum(parts)^2 / sum(parts^2 / degrees))
}

# From one game to the next, everybody at a level of their own, all lines parallel.
slope <- function(values, numbers, who) {
  if (!length(values)) return(NA)
  x <- numbers - ave(numbers, who); y <- values - ave(values, who)
  across <- sum(x^2); degrees <- length(x) - length(unique(who)) - 1
  if (degrees < 1 || across <= 1e-12) return(NA)
  steep <- sum(x * y) / across
  around(steep, sum((y - steep * x)^2) / degrees / across, degrees)
}
