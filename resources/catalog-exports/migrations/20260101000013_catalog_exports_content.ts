import { Migration } from '@mikro-orm/migrations'

export class AddCatalogExportsContent extends Migration {
  override up(): void {
    this.addSql('alter table "catalog_exports" add column "content" text null')
  }

  override down(): void {
    this.addSql('alter table "catalog_exports" drop column "content"')
  }
}
