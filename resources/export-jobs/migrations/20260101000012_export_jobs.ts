import { Migration } from '@mikro-orm/migrations'

export class CreateExportJobs extends Migration {
  override up(): void {
    this.addSql(`create table "export_jobs" (
      "id" varchar(255) primary key,
      "state" text not null default 'processing',
      "catalog_export_id" int null,
      constraint "export_jobs_state_check" check ("state" in ('processing', 'completed')),
      constraint "export_jobs_catalog_export_id_foreign" foreign key ("catalog_export_id")
        references "catalog_exports" ("id") on delete cascade
    )`)
    this.addSql('create index "export_jobs_catalog_export_id_index" on "export_jobs" ("catalog_export_id")')
  }

  override down(): void {
    this.addSql('drop table "export_jobs"')
  }
}
