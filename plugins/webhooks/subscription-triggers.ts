/**
 * The triggers that begin and end the events of a subscription, whatever has changed it. An active subscription receives the
 * changes that were not committed when it was activated: those after the last number of the log, and those of the transactions
 * that were running. The lock orders its end and the creation of deliveries. The end does not wait for locked rows, because
 * another transaction may wait for the end with one of them: such a delivery is ending, or the consumer cancels it.
 */
export const subscriptionTriggers: readonly string[] = [
  `create function webhook_subscriptions_begin() returns trigger language plpgsql as $function$
begin
  if tg_op = 'INSERT' and new.since is not null and new.snapshot is not null then
    return new; -- restored
  end if;
  new.snapshot := pg_current_snapshot();
  new.since := (select case when is_called then last_value else 0 end from change_log_sequence_seq);
  return new;
end $function$`,
  `create trigger webhook_subscriptions_create before insert on webhook_subscriptions
  for each row execute function webhook_subscriptions_begin()`,
  `create trigger webhook_subscriptions_activate before update of active on webhook_subscriptions
  for each row when (new.active and not old.active) execute function webhook_subscriptions_begin()`,
  `create function webhook_subscriptions_end() returns trigger language plpgsql as $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('webhook_subscriptions', 0));
  with waiting as materialized (
    select id from change_deliveries where consumer = 'webhooks' and receiver = old.id::text and state = 'waiting'
    for update skip locked
  )
  update change_deliveries d set state = 'cancelled', finished_at = now(),
      error = case tg_op when 'DELETE' then 'The subscription was deleted.' else 'The subscription is not active.' end
    from waiting w where d.id = w.id;
  return null;
end $function$`,
  `create trigger webhook_subscriptions_pause after update of active on webhook_subscriptions
  for each row when (old.active and not new.active) execute function webhook_subscriptions_end()`,
  `create trigger webhook_subscriptions_delete after delete on webhook_subscriptions
  for each row execute function webhook_subscriptions_end()`,
]
