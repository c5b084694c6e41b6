import { Migration } from '@mikro-orm/migrations'

export class CreatePhotos extends Migration {
  override up(): void {
    this.addSql('create table "photos" ("id" serial primary key, "title" varchar(200) not null)')
  }

  override down(): void {
    this.addSql('drop table "photos"')
  }
}
