import { Migration } from '@mikro-orm/migrations'

export class IndexReleases extends Migration {
  override up(): void {
    this.addSql('create index "releases_catalog_number_id_index" on "releases" ("catalog_number", "id")')
  }

  override down(): void {
    this.addSql('drop index "releases_catalog_number_id_index"')
  }
}
