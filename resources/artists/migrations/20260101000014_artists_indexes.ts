import { Migration } from '@mikro-orm/migrations'

export class IndexArtists extends Migration {
  override up(): void {
    this.addSql('create index "artists_name_id_index" on "artists" ("name", "id")')
    this.addSql('create index "artists_created_at_id_index" on "artists" ("created_at", "id")')
  }

  override down(): void {
    this.addSql('drop index "artists_name_id_index"')
    this.addSql('drop index "artists_created_at_id_index"')
  }
}
