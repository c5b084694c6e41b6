import { Migration } from '@mikro-orm/migrations'
import { deliveryOrder } from './delivery-order.ts'
import { recordFunction } from './record-function.ts'
import { fixSearchPath } from './search-path.ts'

/**
 * Creates the log, the declarations of running versions, the positions of consumers, the deliveries in progress, and the functions
 * of the triggers.
 */
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
    this.addSql('create index change_log_type on change_log (type, changed_at)')
    this.addSql(`create index change_log_created on change_log (type, key, sequence) where kind = 'created'`)
    this.addSql(`create table change_declarations (
      table_name text not null,
      record text not null,
      first_declared_at timestamptz(3) not null default now(),
      declared_at timestamptz(3) not null default now()
    )`)
    this.addSql('create unique index change_declarations_record on change_declarations (table_name, md5(record))')
    this.addSql(`create table change_consumers (
      name text primary key,
      position bigint not null,
      since bigint not null,
      snapshot pg_snapshot not null
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
      is_first boolean not null,
      attempts integer not null default 0,
      due_at timestamptz(3) not null default now(),
      claimed_until timestamptz(3),
      error text,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      constraint change_deliveries_change unique (consumer, receiver, sequence)
    )`)
    this.addSql(`create index change_deliveries_waiting on change_deliveries (consumer, receiver, type, key, sequence)
      where state = 'waiting'`)
    this.addSql(`create unique index change_deliveries_first on change_deliveries (consumer, receiver, type, key)
      where is_first`)
    this.addSql(
      'create index change_deliveries_due on change_deliveries (consumer, receiver, due_at, sequence) where is_first',
    )
    this.addSql(`create index change_deliveries_unfinished on change_deliveries (consumer, state, sequence)
      where state in ('waiting', 'dead')`)
    this.addSql('create index change_deliveries_finished on change_deliveries (finished_at)')
    for (const statement of deliveryOrder) this.addSql(statement)
    this.addSql(recordFunction)
    for (const name of functions) this.addSql(fixSearchPath(name))
    // It has the rights of its owner: other roles cannot use it in triggers of their own tables.
    this.addSql('revoke all on function change_log_record() from public')
  }

  override down(): void {
    this.addSql('drop function change_log_record() cascade')
    this.addSql('drop table change_deliveries')
    this.addSql('drop function change_deliveries_begin()')
    this.addSql('drop function change_deliveries_advance()')
    this.addSql('drop table change_consumers')
    this.addSql('drop table change_declarations')
    this.addSql('drop table change_log')
  }
}

const functions = ['change_log_record', 'change_deliveries_begin', 'change_deliveries_advance']
