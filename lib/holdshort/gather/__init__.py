"""From a payload to the facts that a decision asks for, and no others."""
