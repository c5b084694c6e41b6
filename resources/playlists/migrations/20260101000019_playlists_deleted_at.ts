import { Migration } from '@mikro-orm/migrations'

export class AddDeletedAtToPlaylists extends Migration {
  override up(): void {
    this.addSql('alter table "playlists" add column "deleted_at" timestamptz(3) null')
  }

  override down(): void {
    this.addSql('alter table "playlists" drop column "deleted_at"')
  }
}
