# JSON read, every figure by its name, and when two are the same.

KNOWN_BY <- c("participant", "id", "name", "phase", "measure", "kind", "rule", "arm", "beside",
              "number")
CLOSE <- 1e-9      # of a figure, by which two ways of adding up may differ
SEARCHED <- 1e-6   # the same where it was searched for, step by step

# An object is a list with names, an array one without, null is NA.

read_json <- function(name) {
  text <- paste(readLines(file.path(folder, name), encoding = "UTF-8", warn = FALSE), collapse = "\n")
  pattern <- "\"(?:\\\\.|[^\"\\\\])*\"|-?[0-9][0-9.eE+-]*|true|false|null|[][{},:]"
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
  at <- 0
  take <- function() { at <<- at + 1; tokens[at] }
  value <- function() {
    token <- take()
    if (token == "{") return(object())
    if (token == "[") return(array())
    if (token == "true") return(TRUE)
    if (token == "false") return(FALSE)
    if (token == "null") return(NA)
    if (startsWith(token, "\"")) return(substr(token, 2, nchar(token) - 1))
    as.numeric(token)
  }
  object <- function() {
    keys <- character(); values <- list()
    while (tokens[at + 1] != "}") {
      if (tokens[at + 1] == ",") take()
      keys <- c(keys, value()); take(); values <- c(values, list(value()))
    }
    take()
    if (length(keys)) names(values) <- keys
    values
  }
  array <- function() {
    values <- list()
    while (tokens[at + 1] != "]") {
      if (tokens[at + 1] == ",") take()
      values <- c(values, list(value()))
    }
    take()
    values
  }
  value()
}

row_key <- function(row) {
  if (!is.list(row) || is.null(names(row))) return("")
  found <- Filter(function(name) {
    one <- row[[name]]
    !is.null(one) && !is.list(one) && length(one) == 1 && !is.na(one)
  }, KNOWN_BY)
  paste(vapply(found, function(name) format(row[[name]], digits = 15), ""), collapse = ",")
}

flat <- function(facts, path = "") {
  if (is.null(facts)) return(list())  # it is not worked out
  if (!is.list(facts)) return(stats::setNames(list(facts), path))
  if (!length(facts)) return(list())
  if (!is.null(names(facts))) {
    keys <- if (nzchar(path)) paste0(path, ".", names(facts)) else names(facts)
  } else {
    found <- vapply(facts, row_key, "")
    if (any(found == "") || anyDuplicated(found)) found <- as.character(seq_along(facts) - 1)
    keys <- paste0(path, "[", found, "]")
  }
  do.call(c, unname(Map(flat, unname(facts), keys)))
}

is_figure <- function(value) is.numeric(value) && !is.na(value)

same <- function(one, other, close = CLOSE) {
  if (is.numeric(one) && is.numeric(other) && !is.na(one) && !is.na(other))
    return(abs(one - other) <= close * max(1, abs(one), abs(other)))
  identical(is.na(one), is.na(other)) && (is.na(one) || identical(one, other))
}
