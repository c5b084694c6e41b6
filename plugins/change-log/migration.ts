import { Migration } from '@mikro-orm/migrations'
import { recordFunction } from './record-function.ts'

/** Creates the log, the positions of its consumers, the deliveries in progress, and the function of the triggers. */
export class CreateChangeLog extends Migration {
  override up(): void {
    this.addSql(`create table change_log (
      sequence bigint generated always as identity primary key,
      transaction xid8 not null default pg_current_xact_id(),
      type text not null,
      key text not null,
      kind text not null,
      members text[] not null,
      before jsonb,
      after jsonb,
      principal text,
      request text,
      changed_at timestamptz(3) not null default clock_timestamp()
    )`)
    this.addSql('create index change_log_resource on change_log (type, key, sequence)')
    this.addSql('create index change_log_changed_at on change_log (changed_at)')
    this.addSql(`create table change_consumers (
      name text primary key,
      position bigint not null
    )`)
    this.addSql(`create table change_deliveries (
      id bigint generated always as identity primary key,
      consumer text not null,
      receiver text not null,
      sequence bigint not null,
      type text not null,
      key text not null,
      payload jsonb not null,
      state text not null default 'waiting',
      attempts integer not null default 0,
      due_at timestamptz(3) not null default now(),
      claimed_until timestamptz(3),
      error text,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      constraint change_deliveries_change unique (receiver, sequence)
    )`)
    this.addSql(`create index change_deliveries_waiting on change_deliveries (receiver, type, key, sequence)
      where state = 'waiting'`)
    this.addSql('create index change_deliveries_finished on change_deliveries (finished_at)')
    this.addSql(recordFunction)
  }

  override down(): void {
    this.addSql('drop function change_log_record() cascade')
    this.addSql('drop table change_deliveries')
    this.addSql('drop table change_consumers')
    this.addSql('drop table change_log')
  }
}
