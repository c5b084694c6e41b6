import { Migration } from '@mikro-orm/migrations'

export class IndexAlbums extends Migration {
  override up(): void {
    this.addSql('create index "albums_title_id_index" on "albums" ("title", "id")')
    this.addSql('create index "albums_status_id_index" on "albums" ("status", "id")')
    this.addSql('create index "albums_average_rating_index" on "albums" ("average_rating")')
  }

  override down(): void {
    this.addSql('drop index "albums_title_id_index"')
    this.addSql('drop index "albums_status_id_index"')
    this.addSql('drop index "albums_average_rating_index"')
  }
}
