#!/bin/sh
# Copies the primary the first time, and follows it from then on.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -m 700 -o postgres -g postgres "$PGDATA"
  PGPASSWORD="$POSTGRES_PASSWORD" gosu postgres pg_basebackup --pgdata="$PGDATA" --write-recovery-conf \
    --slot=standby --checkpoint=fast --host=primary --username=replicator
fi
exec docker-entrypoint.sh postgres "$@"
