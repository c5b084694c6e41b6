import { Migration } from '@mikro-orm/migrations'

export class IndexTracks extends Migration {
  override up(): void {
    this.addSql('create index "tracks_track_number_id_index" on "tracks" ("track_number", "id")')
    this.addSql('create index "tracks_genres_index" on "tracks" using gin ("genres")')
  }

  override down(): void {
    this.addSql('drop index "tracks_track_number_id_index"')
    this.addSql('drop index "tracks_genres_index"')
  }
}
