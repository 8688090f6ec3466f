#!/bin/sh
# Chromium without the pages of its address bar, which no test needs: it loads two of them for every context, which takes more CPU time than
# the pages of the tests. Of several lists of features Chromium reads the last one only, so they are added to that of Playwright.
for word; do
  case $word in --disable-features=*) word=$word,WebUIOmniboxPopup,WebUIOmniboxAimPopup ;; esac
  set -- "$@" "$word"
  shift
done
exec /usr/bin/chromium "$@"
