import { Migration } from '@mikro-orm/migrations'

export class CreateAlbums extends Migration {
  override up(): void {
    this.addSql(`create table "albums" (
      "id" serial primary key,
      "title" varchar(200) not null,
      "average_rating" numeric(4,2) null,
      "artwork" text null,
      "released_at" timestamptz(3) null,
      "explicit" boolean not null default false,
      "status" text not null default 'released',
      "available_from" date null,
      "available_until" date null,
      "label" text null,
      "catalogue_number" text null,
      "published" boolean not null default true,
      "artist_id" int null,
      constraint "albums_status_check" check ("status" in ('upcoming', 'released', 'withdrawn')),
      constraint "albums_artist_id_foreign" foreign key ("artist_id") references "artists" ("id") on delete no action
    )`)
    this.addSql('create index "albums_artist_id_index" on "albums" ("artist_id")')
    this.addSql('create index "albums_released_at_id_index" on "albums" ("released_at", "id")')
  }

  override down(): void {
    this.addSql('drop table "albums"')
  }
}
