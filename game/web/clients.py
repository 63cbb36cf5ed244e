"""Whom an address stands for: a household has one of IPv4, and 64 bits full of those of IPv6."""

from ipaddress import IPv6Address, ip_address

HOUSEHOLD = 64  # bits


def client_at(address: str) -> str:
    """What is no address, as that of a socket in the file system, stands for itself."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return f"{int(found) >> 128 - HOUSEHOLD:016x}/{HOUSEHOLD}"
