import { Migration } from '@mikro-orm/migrations'

const targets = ['tracks', 'albums', 'artists']

export class CreateLibraries extends Migration {
  override up(): void {
    this.addSql(`create table "libraries" (
      "id" serial primary key,
      "owner_id" int null,
      constraint "libraries_owner_id_unique" unique ("owner_id"),
      constraint "libraries_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete no action
    )`)
    this.addSql(`create table "library_items" (
      "id" serial primary key,
      "library_id" int not null,
      "item_type" varchar(255) not null,
      "item_id" int not null,
      "position" int not null,
      constraint "library_items_library_id_foreign" foreign key ("library_id")
        references "libraries" ("id") on delete cascade
    )`)
    this.addSql('create index "library_items_library_id_index" on "library_items" ("library_id")')
    this.addSql('create index "library_items_item_type_item_id_index" on "library_items" ("item_type", "item_id")')
    // A polymorphic reference cannot have a foreign key: triggers delete the items of a deleted row.
    this.addSql(`create function "remove_library_items"() returns trigger language plpgsql as $$
      begin
        delete from "library_items" where "item_type" = tg_table_name and "item_id" = old."id";
        return null;
      end
    $$`)
    for (const table of targets) {
      this.addSql(`create trigger "${table}_remove_library_items" after delete on "${table}"
        for each row execute function "remove_library_items"()`)
    }
  }

  override down(): void {
    for (const table of targets) this.addSql(`drop trigger "${table}_remove_library_items" on "${table}"`)
    this.addSql('drop function "remove_library_items"')
    this.addSql('drop table "library_items"')
    this.addSql('drop table "libraries"')
  }
}
