#!/usr/bin/env bash
# Installs what the dashboard's tests need of the system, where it is missing: Chromium, and fonts for its languages.
set -euo pipefail

fonts_present() {
    command -v fc-list >/dev/null || return 1
    local language
    for language in ko ja zh-cn zh-tw sa ar el ru; do
        [ -n "$(fc-list ":lang=$language" family | head -n 1)" ] || return 1
    done
}

browser_present() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null
}

if browser_present && fonts_present; then
    exit 0
fi
install="apt-get install -y --no-install-recommends chromium fontconfig fonts-noto-core fonts-noto-cjk fonts-lohit-deva"
if ! command -v apt-get >/dev/null; then
    echo "The dashboard's tests need Chromium, and Noto fonts for Chinese, Japanese, Korean, Devanagari and Arabic: install them." >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    run=()
elif sudo -n true 2>/dev/null; then
    run=(sudo -n)
else
    echo "The dashboard's tests need Chromium and fonts. Install them, then try again: sudo $install" >&2
    exit 1
fi
echo "Installing Chromium and fonts for the dashboard's tests; once a machine."
"${run[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run[@]}" env DEBIAN_FRONTEND=noninteractive $install >/dev/null
