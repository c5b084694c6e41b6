import { Migration } from '@mikro-orm/migrations'

/** Creates the table of API keys. */
export class CreateApiKeys extends Migration {
  override up(): void {
    this.addSql(`create table "api_keys" (
      "id" uuid not null,
      "name" varchar(120) not null,
      "start" varchar(12) not null,
      "hash" varchar(64) not null,
      "scopes" text[] not null,
      "created_at" timestamptz(3) not null default now(),
      "expires_at" timestamptz(3) null,
      "last_used_at" timestamptz(3) null,
      constraint "api_keys_pkey" primary key ("id")
    )`)
    this.addSql('alter table "api_keys" add constraint "api_keys_hash_unique" unique ("hash")')
  }

  override down(): void {
    this.addSql('drop table "api_keys"')
  }
}
