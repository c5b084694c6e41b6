import { Migration } from '@mikro-orm/migrations'

export class CreateTracks extends Migration {
  override up(): void {
    this.addSql(`create table "tracks" (
      "id" serial primary key,
      "title" text not null,
      "track_number" int not null default 1,
      "length_seconds" int not null default 0,
      "explicit" boolean not null default false,
      "genres" text[] not null default '{unclassified}',
      "preview_offset" time(0) null,
      "album_id" int null,
      constraint "tracks_album_id_foreign" foreign key ("album_id") references "albums" ("id") on delete no action
    )`)
    this.addSql('create index "tracks_album_id_index" on "tracks" ("album_id")')
  }

  override down(): void {
    this.addSql('drop table "tracks"')
  }
}
