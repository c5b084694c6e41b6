import { Migration } from '@mikro-orm/migrations'

/** Adds the new column, and keeps it equal to the old one while two releases write. */
export class ExpandCustomersPhone extends Migration {
  override up(): void {
    this.addSql(`set local lock_timeout = '2s'`)
    this.addSql('alter table "customers" add column "phone_number" varchar(30) null')
    this.addSql(`create function customers_copy_phone() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and new.phone_number is distinct from old.phone_number then new.phone := new.phone_number;
        elsif new.phone is null then new.phone := new.phone_number;
        else new.phone_number := new.phone;
        end if;
        return new;
      end $$`)
    this.addSql(`create trigger customers_copy_phone before insert or update on "customers"
      for each row execute function customers_copy_phone()`)
  }

  override down(): void {
    this.addSql('drop trigger if exists customers_copy_phone on "customers"')
    this.addSql('drop function if exists customers_copy_phone')
    this.addSql('alter table "customers" drop column "phone_number"')
  }
}
