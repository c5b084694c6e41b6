import { Migration } from '@mikro-orm/migrations'

export class CreateCatalogExports extends Migration {
  override up(): void {
    this.addSql(`create table "catalog_exports" (
      "id" serial primary key,
      "format" varchar(16) not null,
      "status" text not null default 'pending',
      constraint "catalog_exports_status_check" check ("status" in ('pending', 'ready'))
    )`)
  }

  override down(): void {
    this.addSql('drop table "catalog_exports"')
  }
}
