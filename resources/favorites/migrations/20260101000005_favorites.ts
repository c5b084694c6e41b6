import { Migration } from '@mikro-orm/migrations'

const targets = ['tracks', 'albums', 'artists']

export class CreateFavorites extends Migration {
  override up(): void {
    this.addSql(`create table "favorites" (
      "id" serial primary key,
      "favorited_at" timestamptz(3) not null default now(),
      "user_id" int null,
      "favoritable_type" varchar(255) null,
      "favoritable_id" int null,
      constraint "favorites_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete no action
    )`)
    this.addSql('create index "favorites_user_id_index" on "favorites" ("user_id")')
    this.addSql(
      'create index "favorites_favoritable_type_favoritable_id_index" on "favorites" ("favoritable_type", "favoritable_id")',
    )
    // A polymorphic reference cannot have a foreign key: triggers delete the favourites of a deleted row.
    this.addSql(`create function "remove_favorites"() returns trigger language plpgsql as $$
      begin
        delete from "favorites" where "favoritable_type" = tg_table_name and "favoritable_id" = old."id";
        return null;
      end
    $$`)
    for (const table of targets) {
      this.addSql(`create trigger "${table}_remove_favorites" after delete on "${table}"
        for each row execute function "remove_favorites"()`)
    }
  }

  override down(): void {
    for (const table of targets) this.addSql(`drop trigger "${table}_remove_favorites" on "${table}"`)
    this.addSql('drop function "remove_favorites"')
    this.addSql('drop table "favorites"')
  }
}
