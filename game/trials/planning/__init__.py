"""Planning: how sure a trial would be, before anybody plays in it."""
