#!/usr/bin/env bash
# Installs what is missing and says what.
# Usage: tools/setup.sh [debian] [aarch64] [aarch64-libraries] [training]
#                       [python] [peers [NAME...]]
#   debian, aarch64, training  the packages of packages-NAME.txt, through apt-get
#   aarch64-libraries  the packages of that list for AArch64, unpacked into
#           .cache/aarch64; nothing is installed
#   python  the packages of packages-python.txt, into .venv
#   peers   the packages of peers/requirements-NAME.txt, into .venv-peers/NAME;
#           without names those of every peer
# Nothing is asked and nothing is printed when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

listed() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# The packages of the list $1.
install_debian() {
  local list=$1
  if ! command -v dpkg-query > /dev/null; then
    echo "setup: not a Debian system; $list says what is needed" >&2
    return
  fi
  local wanted installed missing
  wanted=$(listed "$list" | sort)
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted \
              2> /dev/null | sed -n 's/ installed$//p' | sort -u) || true
  missing=$(comm -23 <(echo "$wanted") <(echo "$installed"))
  [ -n "$missing" ] || return 0
  echo "setup: installing Debian packages:" $missing >&2
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq >&2
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    -o Dpkg::Use-Pty=0 \
    --no-install-recommends $missing >&2
}

# The packages of the list $1 for the architecture $2 in the folder $3, which is
# made anew. apt-get gets lists of its own, so that the system's architectures
# and packages stay as they are.
unpack_debian() {
  local list=$1 architecture=$2 folder=$3
  cmp -s "$list" "$folder/unpacked.txt" && return
  if ! command -v apt-get > /dev/null; then
    echo "setup: not a Debian system; $list says what is needed in" \
         "$folder" >&2
    return
  fi
  local packages
  packages=$(listed "$list")
  echo "setup: unpacking Debian packages into $folder:" $packages >&2
  rm -rf "$folder"
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
  folder=$(cd "$folder" && pwd)
  local apt="apt-get -qq -o APT::Architecture=$architecture \
    -o APT::Architectures=$architecture -o APT::Sandbox::User=root \
    -o Dir::State::lists=$folder/apt/lists -o Dir::State::status=/dev/null \
    -o Dir::Cache=$folder/apt"
  # shellcheck disable=SC2086
  (cd "$folder/apt" && $apt update && $apt download $packages) >&2
  local package
  for package in "$folder"/apt/*.deb; do dpkg-deb -x "$package" "$folder"; done
  rm -rf "$folder/apt"
  cp "$list" "$folder/unpacked.txt"
}

# The packages of the list $1 in the virtual environment $2.
install_python() {
  local list=$1 venv=$2
  cmp -s "$list" "$venv/installed.txt" && return
  echo "setup: installing Python packages into $venv:" $(listed "$list") >&2
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$list" >&2
  cp "$list" "$venv/installed.txt"
}

install_peers() {
  local name lists
  lists=$(ls peers/requirements-*.txt)
  [ $# -gt 0 ] || set -- $(sed 's/.*requirements-\(.*\)\.txt/\1/' <<< "$lists")
  for name in "$@"; do
    install_python "peers/requirements-$name.txt" ".venv-peers/$name"
  done
}

while [ $# -gt 0 ]; do
  what=$1
  shift
  case $what in
    debian|aarch64|training) install_debian "tools/packages-$what.txt" ;;
    aarch64-libraries)
      unpack_debian tools/packages-aarch64-libraries.txt arm64 .cache/aarch64 ;;
    python) install_python tools/packages-python.txt .venv ;;
    peers) install_peers "$@"; break ;;
    *) echo "setup: unknown list '$what'; known: debian aarch64" \
            "aarch64-libraries training python peers" >&2
       exit 2 ;;
  esac
done
