import { Migration } from '@mikro-orm/migrations'

export class IndexUsers extends Migration {
  override up(): void {
    this.addSql('create index "users_display_name_id_index" on "users" ("display_name", "id")')
  }

  override down(): void {
    this.addSql('drop index "users_display_name_id_index"')
  }
}
