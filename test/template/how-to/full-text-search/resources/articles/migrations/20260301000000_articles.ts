import { Migration } from '@mikro-orm/migrations'

export class CreateArticles extends Migration {
  override up(): void {
    this.addSql(`create table "articles" (
      "id" serial primary key,
      "title" varchar(200) not null,
      "body" text not null,
      "document" tsvector generated always as (
        setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'B')
      ) stored
    )`)
    this.addSql('create index "articles_document_index" on "articles" using gin ("document")')
  }

  override down(): void {
    this.addSql('drop table "articles"')
  }
}
