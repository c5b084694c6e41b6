import { Migration } from '@mikro-orm/migrations'

export class AddExportJobsRequestedBy extends Migration {
  override up(): void {
    this.addSql('alter table "export_jobs" add column "requested_by" text null')
  }

  override down(): void {
    this.addSql('alter table "export_jobs" drop column "requested_by"')
  }
}
