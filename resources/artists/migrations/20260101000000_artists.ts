import { Migration } from '@mikro-orm/migrations'

export class CreateArtists extends Migration {
  override up(): void {
    this.addSql(`create table "artists" (
      "id" serial primary key,
      "name" varchar(120) not null,
      "slug" text not null,
      "website" text null,
      "bio" varchar(1000) null,
      "created_at" timestamptz(3) not null default now()
    )`)
    this.addSql('create index "artists_slug_index" on "artists" using hash ("slug")')
  }

  override down(): void {
    this.addSql('drop table "artists"')
  }
}
