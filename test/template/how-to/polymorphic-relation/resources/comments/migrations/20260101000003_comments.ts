import { Migration } from '@mikro-orm/migrations'

const subjects = ['posts', 'photos']

export class CreateComments extends Migration {
  override up(): void {
    this.addSql(`create table "comments" (
      "id" serial primary key,
      "text" text not null,
      "subject_type" varchar(255) not null,
      "subject_id" int not null
    )`)
    this.addSql('create index "comments_subject_index" on "comments" ("subject_type", "subject_id")')
    this.addSql(`create function "delete_comments"() returns trigger language plpgsql as $$
      begin
        delete from "comments" where "subject_type" = tg_table_name and "subject_id" = old."id";
        return null;
      end
    $$`)
    for (const table of subjects) {
      this.addSql(`create trigger "${table}_delete_comments" after delete on "${table}"
        for each row execute function "delete_comments"()`)
    }
  }

  override down(): void {
    for (const table of subjects) this.addSql(`drop trigger "${table}_delete_comments" on "${table}"`)
    this.addSql('drop function "delete_comments"')
    this.addSql('drop table "comments"')
  }
}
