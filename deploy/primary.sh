#!/bin/sh
# Run once by the primary, on its new and empty directory: who may use the application's database, and who may copy it.
set -eu

psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" --username=postgres <<'SQL'
create role app login password :'password';
create database app owner app;
create role replicator login replication password :'password';
select pg_create_physical_replication_slot('standby');
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
