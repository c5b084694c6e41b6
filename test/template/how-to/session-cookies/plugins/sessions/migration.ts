import { Migration } from '@mikro-orm/migrations'

export class CreateSessions extends Migration {
  override up(): void {
    this.addSql(`create table "sessions" (
      "hash" varchar(64) primary key,
      "identifier" text not null,
      "roles" jsonb not null,
      "expires_at" timestamptz(3) not null
    )`)
    this.addSql('create index "sessions_identifier_index" on "sessions" ("identifier")')
    this.addSql('create index "sessions_expires_at_index" on "sessions" ("expires_at")')
  }

  override down(): void {
    this.addSql('drop table "sessions"')
  }
}
