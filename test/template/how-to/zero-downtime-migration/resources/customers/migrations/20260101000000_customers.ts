import { Migration } from '@mikro-orm/migrations'

export class CreateCustomers extends Migration {
  override up(): void {
    this.addSql(`create table "customers" (
      "id" serial primary key,
      "name" varchar(100) not null,
      "phone" varchar(30) not null
    )`)
  }

  override down(): void {
    this.addSql('drop table "customers"')
  }
}
