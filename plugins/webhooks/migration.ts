import { Migration } from '@mikro-orm/migrations'
import { fixSearchPath } from '#plugins/change-log/index.ts'
import { subscriptionTriggers } from './subscription-triggers.ts'

/** Creates the table of subscriptions. Deliveries are in the table of the change log. */
export class CreateSubscriptions extends Migration {
  override up(): void {
    this.addSql(`create table webhook_subscriptions (
      id uuid primary key,
      url varchar(2000) not null,
      types text[] not null,
      events text[] not null,
      secret varchar(120) not null,
      active boolean not null default true,
      created_at timestamptz(3) not null default now(),
      since bigint not null,
      snapshot pg_snapshot not null
    )`)
    for (const statement of subscriptionTriggers) this.addSql(statement)
    for (const name of functions) this.addSql(fixSearchPath(name))
  }

  override down(): void {
    this.addSql('drop table webhook_subscriptions')
    for (const name of functions) this.addSql(`drop function ${name}()`)
  }
}

const functions = ['webhook_subscriptions_begin', 'webhook_subscriptions_end']
