import { Migration } from '@mikro-orm/migrations'

/** Removes the old column. No process of the old release may run any more. */
export class ContractCustomersPhone extends Migration {
  override up(): void {
    this.addSql(`set local lock_timeout = '2s'`)
    this.addSql('drop trigger customers_copy_phone on "customers"')
    this.addSql('drop function customers_copy_phone')
    this.addSql('alter table "customers" alter column "phone_number" set not null, drop column "phone"')
  }

  override down(): void {
    this.addSql('alter table "customers" add column "phone" varchar(30) null')
    this.addSql('update "customers" set "phone" = "phone_number"')
    this.addSql('alter table "customers" alter column "phone" set not null, alter column "phone_number" drop not null')
  }
}
