#!/usr/bin/env bash
# Makes docker/.env once: the secrets of an installation, which the compose files read. Keep a copy of it with your backups: data of the service can not be used
# without NATIVE_SERVICE_SECRET_KEY. Other settings of the service may be added to the file; server/README.md lists them.
#   docker/make-env.sh [FILE]
set -euo pipefail
file="${1:-$(dirname "$0")/.env}"

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

# For its owner alone, and never over one that is there: what was made with its secrets would be lost.
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
  echo "$file is there already, or can not be written; it stays as it is" >&2
  exit 1
fi
echo "$file is made"
