#!/usr/bin/env bash
# Creates docker/.env, the secrets of an installation, which the compose files read. Keep a copy with your backups: without NATIVE_SERVICE_SECRET_KEY the data of the
# service cannot be used. You can add other settings of the service to the file; server/README.md lists them.
#   docker/make-env.sh [FILE]
set -euo pipefail
file="${1:-$(dirname "$0")/.env}"

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

# Only the owner can read the file. An existing file is not overwritten: data that depends on its secrets would be lost.
umask 077
set -o noclobber
if ! {
  cat > "$file" <<EOF
NATIVE_SERVICE_SECRET_KEY=$(random)
MONGODB_ROOT_PASSWORD=$(random)
MONGODB_PASSWORD=$(random)
MONGODB_REPLICA_KEY=$(random)
EOF
} 2> /dev/null; then
  echo "$file exists already or cannot be written; it was not changed" >&2
  exit 1
fi
echo "created $file"
