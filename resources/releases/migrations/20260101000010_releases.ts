import { Migration } from '@mikro-orm/migrations'

export class CreateReleases extends Migration {
  override up(): void {
    this.addSql(`create table "releases" (
      "id" serial primary key,
      "catalog_number" varchar(40) not null,
      "format" jsonb null,
      "packaging" jsonb null,
      "availability" jsonb null,
      "dimensions" jsonb null,
      "album_id" int null,
      constraint "releases_album_id_foreign" foreign key ("album_id") references "albums" ("id") on delete no action
    )`)
    this.addSql('create index "releases_album_id_index" on "releases" ("album_id")')
  }

  override down(): void {
    this.addSql('drop table "releases"')
  }
}
