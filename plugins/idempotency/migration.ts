import { Migration } from '@mikro-orm/migrations'

/** The table of stored responses, in a schema of its own, which the schema comparison of the entities ignores. */
export class CreateKeys extends Migration {
  override up(): void {
    this.addSql('create schema if not exists idempotency')
    this.addSql(`create table idempotency.keys (
      id text primary key,
      fingerprint text not null,
      status smallint not null,
      headers text not null,
      body text,
      bytes integer not null,
      created_at timestamptz not null default now()
    )`)
    this.addSql('create index keys_created_at on idempotency.keys (created_at)')
  }

  override down(): void {
    this.addSql('drop schema idempotency cascade')
  }
}
