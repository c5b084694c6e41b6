import { Migration } from '@mikro-orm/migrations'

export class CreateUsers extends Migration {
  override up(): void {
    this.addSql(`create table "users" (
      "id" serial primary key,
      "email" varchar(254) not null,
      "display_name" text not null,
      "birth_date" date null,
      "preferences" jsonb not null default '{}',
      "last_seen_ip" varchar(45) null,
      "password_hash" text null,
      constraint "users_email_unique" unique ("email")
    )`)
  }

  override down(): void {
    this.addSql('drop table "users"')
  }
}
