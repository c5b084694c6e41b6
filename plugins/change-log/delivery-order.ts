/**
 * The triggers that keep the order of the deliveries of a resource to a receiver of a consumer: exactly one waiting delivery
 * is marked as first, and only that one is claimed, so that the cost of a claim does not depend on the backlog. The advisory
 * lock lets a delivery begin to wait before or after the end of another one, not at the same time. The row lock lets
 * the next delivery be marked after a transaction that ends it: it is marked if it still waits then.
 */
export const deliveryOrder: readonly string[] = [
  `create function change_deliveries_begin() returns trigger language plpgsql as $function$
begin
  new.is_first := false;
  if new.state = 'waiting' then
    perform pg_advisory_xact_lock(hashtextextended('change_deliveries ' || new.consumer, 0));
    if tg_op = 'INSERT' then
      perform from change_deliveries
        where consumer = new.consumer and receiver = new.receiver and type = new.type and key = new.key
          and state = 'waiting'
        limit 1;
      new.is_first := not found;
    end if;
  end if;
  return new;
end $function$`,
  `create trigger change_deliveries_insert before insert on change_deliveries
  for each row execute function change_deliveries_begin()`,
  `create trigger change_deliveries_update before update of state on change_deliveries
  for each row when (old.state <> new.state) execute function change_deliveries_begin()`,
  `create function change_deliveries_advance() returns trigger language plpgsql as $function$
declare
  candidate bigint;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('change_deliveries ' || old.consumer, 0));
  perform from change_deliveries
    where consumer = old.consumer and receiver = old.receiver and type = old.type and key = old.key and is_first;
  if found then
    return null;
  end if;
  select id into candidate from change_deliveries
    where consumer = old.consumer and receiver = old.receiver and type = old.type and key = old.key and state = 'waiting'
    order by sequence limit 1 for update;
  update change_deliveries set is_first = true where id = candidate and state = 'waiting';
  return null;
end $function$`,
  // Also when deliveries begin to wait again: after all rows of the statement, whatever their order is.
  `create trigger change_deliveries_finish after update of state on change_deliveries
  for each row when (old.state <> new.state and (old.is_first or new.state = 'waiting'))
  execute function change_deliveries_advance()`,
  `create trigger change_deliveries_delete after delete on change_deliveries
  for each row when (old.is_first) execute function change_deliveries_advance()`,
]
