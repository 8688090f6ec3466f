# Runs checks, also in the background, counts what passed and failed, and ends with `N passed, N failed`. For `source`, under `set -euo pipefail`.

scratch=$(mktemp -d)
# The exit code of the script stays: under `set -e`, a command that fails in the trap would replace it.
clean_up() {
  kill $(jobs -p) 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT
passed=0
failed=0
where=

# Counts one check: passed if the command succeeds.
step() {
  timed count_command "$@"
}
count_command() {
  if "${@:2}"; then
    passed=$((passed + 1))
  else
    fail "$1: FAILED"
  fi
}

# Counts one failure.
fail() {
  failed=$((failed + 1))
  echo "== $1"
  echo "$1" >>"$scratch/failures"
}

# Runs a function whose first argument is the name of a check, and keeps how long it took, for the table at the end.
timed() {
  local start=$SECONDS start_cpu
  read_cpu
  start_cpu=$cpu
  echo "== $2"
  "$@"
  read_cpu
  printf '%9d %5d   %s%s\n' "$((SECONDS - start))" "$((cpu - start_cpu))" "$2" "$where" >>"$scratch/seconds"
}

# The CPU time of all programs that have ended, in seconds: on a busy machine it says more than the clock.
read_cpu() {
  local file=$scratch/times-$BASHPID
  times >"$file"
  cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$file")
}

# Adds a report to the totals: `PASSED FAILED`, then what failed.
add_report() {
  local name=$1 report=$2 report_passed report_failed
  if [ ! -s "$report" ]; then
    fail "$name: FAILED without a report"
    return
  fi
  read -r report_passed report_failed <"$report"
  tail -n +2 "$report" >>"$scratch/failures"
  echo "== $name: $report_passed passed, $report_failed failed"
  passed=$((passed + report_passed))
  failed=$((failed + report_failed))
}

# Runs a command that writes a report into the file that it is given after `--report`.
run_reporter() {
  timed count_reporter "$@"
}
count_reporter() {
  local report
  report=$(mktemp -p "$scratch")
  "${@:2}" --report "$report" || true
  add_report "$1" "$report"
}

# Runs a test command and adds the number of its passed and failed tests to the totals.
run_tests() {
  timed count_tests "$@"
  print_ended
}
count_tests() {
  local code=0 results report
  results=$(mktemp -p "$scratch")
  report=$(mktemp -p "$scratch")
  VOUCH_TEST_REPORT=$results "${@:2}" || code=$?
  [ ! -s "$results" ] || node .ci/count.mjs "$results" "$1" "$code" >"$report"
  add_report "$1" "$report"
}

# Runs functions one after the other beside everything else: for what waits for a network or a disk. What a function prints is shown when it has
# ended, and what it counts is added then.
in_background() {
  local job
  background+=("$@")
  {
    where=' (in the background)'
    for job in "$@"; do
      passed=0
      failed=0
      "$job" >"$scratch/$job.log" 2>&1
      echo "$passed $failed" >"$scratch/$job.totals"
    done
  } &
}
background=()

# Prints and counts what has ended in the background.
print_ended() {
  local job running=()
  for job in "${background[@]}"; do
    if [ -s "$scratch/$job.totals" ]; then print_job "$job"; else running+=("$job"); fi
  done
  background=("${running[@]}")
}

print_job() {
  local job_passed job_failed
  cat "$scratch/$1.log"
  read -r job_passed job_failed <"$scratch/$1.totals"
  passed=$((passed + job_passed))
  failed=$((failed + job_failed))
}

# Waits for all that runs in the background.
await_background() {
  local job
  wait
  print_ended
  for job in "${background[@]}"; do
    cat "$scratch/$job.log" 2>/dev/null
    fail "$job: FAILED: it ended before its result"
  done
  background=()
}

# What failed is repeated at the end, because the output above is long.
finish() {
  await_background
  read_cpu
  echo '== seconds, CPU seconds'
  cat "$scratch/seconds"
  printf '%9d %5d   %s\n' "$SECONDS" "$cpu" 'in all'
  if [ -s "$scratch/failures" ]; then
    echo '== failures'
    cat "$scratch/failures"
  fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
