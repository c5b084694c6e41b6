import { Migration } from '@mikro-orm/migrations'

export class CreatePlaylists extends Migration {
  override up(): void {
    this.addSql(`create table "playlists" (
      "id" uuid primary key,
      "title" text not null,
      "slug" text not null,
      "public" boolean not null default false,
      "external_id" uuid null,
      "owner_id" int null,
      constraint "playlists_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete no action
    )`)
    this.addSql('create index "playlists_owner_id_index" on "playlists" ("owner_id")')
    this.addSql(`create table "playlist_tracks" (
      "playlist_id" uuid not null,
      "track_id" int not null,
      primary key ("playlist_id", "track_id"),
      constraint "playlist_tracks_playlist_id_foreign" foreign key ("playlist_id")
        references "playlists" ("id") on update cascade on delete cascade,
      constraint "playlist_tracks_track_id_foreign" foreign key ("track_id")
        references "tracks" ("id") on update cascade on delete cascade
    )`)
    this.addSql('create index "playlist_tracks_track_id_index" on "playlist_tracks" ("track_id")')
    this.addSql(`create table "playlist_entries" (
      "id" serial primary key,
      "playlist_id" uuid not null,
      "track_id" int not null,
      "position" int not null,
      "weight" int not null default 100,
      "added_at" timestamptz(3) not null default now(),
      constraint "playlist_entries_playlist_id_track_id_unique" unique ("playlist_id", "track_id"),
      constraint "playlist_entries_playlist_id_foreign" foreign key ("playlist_id")
        references "playlists" ("id") on delete cascade,
      constraint "playlist_entries_track_id_foreign" foreign key ("track_id") references "tracks" ("id") on delete cascade
    )`)
    this.addSql('create index "playlist_entries_track_id_index" on "playlist_entries" ("track_id")')
  }

  override down(): void {
    this.addSql('drop table "playlist_entries"')
    this.addSql('drop table "playlist_tracks"')
    this.addSql('drop table "playlists"')
  }
}
