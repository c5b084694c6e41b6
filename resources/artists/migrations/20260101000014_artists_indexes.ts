import { Migration } from '@mikro-orm/migrations'

export class IndexArtists extends Migration {
  override up(): void {
    this.addSql('drop index "artists_slug_index"')
    this.addSql('create index "artists_slug_id_index" on "artists" ("slug", "id")')
    this.addSql('create index "artists_name_id_index" on "artists" ("name", "id")')
    this.addSql('create index "artists_created_at_id_index" on "artists" ("created_at", "id")')
  }

  override down(): void {
    this.addSql('drop index "artists_slug_id_index"')
    this.addSql('drop index "artists_name_id_index"')
    this.addSql('drop index "artists_created_at_id_index"')
    this.addSql('create index "artists_slug_index" on "artists" using hash ("slug")')
  }
}
