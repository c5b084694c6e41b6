import { Migration } from '@mikro-orm/migrations'

export class CreatePosts extends Migration {
  override up(): void {
    this.addSql('create table "posts" ("id" serial primary key, "title" varchar(200) not null)')
  }

  override down(): void {
    this.addSql('drop table "posts"')
  }
}
