#!/usr/bin/env bash
# Starts a member of the replica set. mongod requires its key in a file that only the owner can read.
set -euo pipefail
umask 077
printf '%s\n' "$MONGODB_REPLICA_KEY" > /tmp/keyfile
unset MONGODB_REPLICA_KEY
exec docker-entrypoint.sh "$@"
