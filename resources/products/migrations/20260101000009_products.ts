import { Migration } from '@mikro-orm/migrations'

export class CreateProducts extends Migration {
  override up(): void {
    this.addSql(`create table "products" (
      "id" serial primary key,
      "name" text not null,
      "parent_id" int null,
      constraint "products_parent_id_foreign" foreign key ("parent_id") references "products" ("id") on delete no action
    )`)
    this.addSql('create index "products_parent_id_index" on "products" ("parent_id")')
  }

  override down(): void {
    this.addSql('drop table "products"')
  }
}
