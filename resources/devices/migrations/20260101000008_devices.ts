import { Migration } from '@mikro-orm/migrations'

export class CreateDevices extends Migration {
  override up(): void {
    this.addSql('create table "devices" ("id" varchar(26) primary key, "label" text not null)')
  }

  override down(): void {
    this.addSql('drop table "devices"')
  }
}
