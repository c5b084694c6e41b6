import { Migration } from '@mikro-orm/migrations'

export class CreateGenres extends Migration {
  override up(): void {
    this.addSql('create table "genres" ("id" varchar(255) primary key, "name" text not null)')
  }

  override down(): void {
    this.addSql('drop table "genres"')
  }
}
