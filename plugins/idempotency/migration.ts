import { Migration } from '@mikro-orm/migrations'

/** Creates the table of stored responses. */
export class CreateKeys extends Migration {
  override up(): void {
    this.addSql(`create table idempotency_keys (
      id text primary key,
      fingerprint text not null,
      status smallint not null,
      headers text not null,
      body text,
      bytes integer not null,
      created_at timestamptz not null default now()
    )`)
    this.addSql('create index idempotency_keys_created_at on idempotency_keys (created_at)')
  }

  override down(): void {
    this.addSql('drop table idempotency_keys')
  }
}

/** Adds the principal of a response, and the ids that its batch has created. */
export class AddPrincipals extends Migration {
  override up(): void {
    this.addSql(`alter table idempotency_keys
      add column principal text not null default '',
      add column local_ids text`)
  }

  override down(): void {
    this.addSql('alter table idempotency_keys drop column principal, drop column local_ids')
  }
}
